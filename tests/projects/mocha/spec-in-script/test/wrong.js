throw new Error('not asked for');
