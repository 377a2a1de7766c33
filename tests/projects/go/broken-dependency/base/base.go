package base

var Answer int = "forty-two"
