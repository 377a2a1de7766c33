package shop

const Answer = 42
