test('rejects', async () => { await Promise.reject(new Error('refused')); });
