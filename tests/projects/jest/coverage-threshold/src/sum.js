exports.sum = (a, b) => a + b;
exports.unused = () => {
  return 1;
};
