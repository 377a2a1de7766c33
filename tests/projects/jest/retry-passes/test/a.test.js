let tries = 0;
jest.retryTimes(2);
test('flaky', () => { tries += 1; if (tries < 2) throw new Error(`try ${tries}`); });
test('steady', () => {});
