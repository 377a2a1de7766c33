test('two', () => { const = 1; });
