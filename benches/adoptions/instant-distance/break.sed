s/ef_construction(100).ef_search(100)/ef_construction(4).ef_search(4)/
