test('one', () => {});
test('hangs', () => { setInterval(() => {}, 1000); return new Promise(() => {}); }, 60000);
