s/Cow::from(word.to_lowercase())/Cow::from(word)/
