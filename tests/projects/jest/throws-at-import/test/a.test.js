test('one', () => {});
