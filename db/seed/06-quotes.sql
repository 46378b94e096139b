-- 100,000 quotes, each of them a sentence of its own.
INSERT INTO quotes (id, text)
SELECT high.n * 1000 + low.n + 1,
       CONCAT(ELT(high.n DIV 10 + 1, 'A slow query', 'An empty cache', 'A long queue', 'A busy lock', 'A small pool',
                  'A full disk', 'A cold start', 'A missing index', 'A late answer', 'A noisy neighbour'),
              ' teaches you more about ',
              ELT(high.n % 10 + 1, 'patience', 'arithmetic', 'humility', 'friendship', 'weather',
                  'gardening', 'bridges', 'sleep', 'promises', 'coffee'),
              ' than ', low.n + 2, ' dashboards.')
FROM seed_numbers high STRAIGHT_JOIN seed_numbers low
WHERE high.n < 100;
