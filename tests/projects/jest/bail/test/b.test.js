test('three', () => {});
