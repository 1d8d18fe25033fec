s/stopwords="en"/stopwords="en", lower=False/
