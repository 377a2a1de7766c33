test('same', () => {});
test('same', () => {});
