const assert = require('node:assert');
it('hangs', function () { this.timeout(100); return new Promise(() => {}); });
