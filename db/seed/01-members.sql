-- 752,703 members. Every one signs in with the password `password`: the hash is bcrypt, cost 4, so that
-- signing in costs the service next to nothing and the load measures the rest.
INSERT INTO members (id, email, password_hash, name, created_at)
SELECT n.id,
       CONCAT('member', n.id, '@example.com'),
       '$2a$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm',
       CONCAT('Member ', n.id),
       '2024-01-01 00:00:00.000'
FROM (SELECT high.n * 1000 + low.n + 1 AS id
      FROM seed_numbers high STRAIGHT_JOIN seed_numbers low
      WHERE high.n < 753) n
WHERE n.id <= 752703;
