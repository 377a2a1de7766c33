test('forgets to wait', () => { new Promise((_, no) => setTimeout(() => no(new Error('forgotten')), 20)); });
test('waits', () => new Promise((done) => { setTimeout(done, 200); }));
