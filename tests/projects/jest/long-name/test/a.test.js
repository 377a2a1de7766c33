test('x'.repeat(100000), () => {});
