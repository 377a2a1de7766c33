export const sum = (a, b) => a + b;
export const unused = () => {
  return 1;
};
