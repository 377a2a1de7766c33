test.only('one', () => {});
test('two', () => { throw new Error('not run'); });
