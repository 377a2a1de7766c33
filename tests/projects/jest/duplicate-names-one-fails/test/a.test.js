test('same', () => { throw new Error('first'); });
test('same', () => {});
