test('starts a timer', () => { setTimeout(() => { throw new Error('too late'); }, 50); });
