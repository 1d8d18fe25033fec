s/text.lower()/text/
