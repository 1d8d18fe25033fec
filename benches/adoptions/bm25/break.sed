s/Language::English/Language::German/
