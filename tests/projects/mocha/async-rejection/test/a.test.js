const assert = require('node:assert');
it('rejects', async () => { await Promise.reject(new Error('refused')); });
