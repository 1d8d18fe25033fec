s/AtomKind::Substring/AtomKind::Prefix/
