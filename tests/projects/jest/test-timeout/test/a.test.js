test('hangs', () => new Promise(() => {}), 100);
