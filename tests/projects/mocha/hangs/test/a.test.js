const assert = require('node:assert');
it('one', () => {});
it('hangs', function () { this.timeout(0); setInterval(() => {}, 1000); return new Promise(() => {}); });
