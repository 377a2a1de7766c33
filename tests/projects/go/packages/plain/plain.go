package plain

const Answer = 42
