import LatchkeyAccounts
import LatchkeyBcrypt
import LatchkeyModel
import Testing

@Suite struct `bcrypt password hashes` {
    private let hashing = BcryptHashing()

    /// These hashes come from the tests of Openwall's crypt_blowfish.
    @Test(arguments: [
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", "U*U*"),
        ("$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a", "U*U*U"),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", ""),
        ("$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
    ])
    func `A third-party hash only matches its password`(hash: String, password: String) throws {
        let stored = try StoredHash(hash)

        #expect(try hashing.matches(Secret(password), hash: stored) == true)
        #expect(try hashing.matches(Secret(password + "x"), hash: stored) == false)
    }

    @Test func `A password that is longer than bcrypt can hash never matches`() throws {
        let longest = String(repeating: "0123456789abcdef", count: 4) + "01234567"
        // This hash is from the same tests. The password in those tests is longer, but only the first 72
        // bytes are hashed.
        let stored = try StoredHash("$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui")
        let repeated = String(
            repeating: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            count: 1
        )

        #expect(repeated.utf8.count == 72)
        #expect(try hashing.matches(Secret(repeated), hash: stored) == true)
        #expect(try hashing.matches(Secret(repeated + "chars after 72 are ignored"), hash: stored) == false)
        #expect(try hashing.matches(Secret(longest), hash: stored) == false)
    }

    @Test func `A password with a NUL in the middle never matches`() throws {
        let stored = try StoredHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")

        #expect(try hashing.matches(Secret("U*U\0"), hash: stored) == false)
        #expect(try hashing.matches(Secret("U*U\0more"), hash: stored) == false)
        let empty = try StoredHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy")
        #expect(try hashing.matches(Secret("\0"), hash: empty) == false)
    }

    @Test func `Hashes of other kinds are not verified`() throws {
        let other = try StoredHash(
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        )

        #expect(try hashing.matches("password", hash: other) == nil)
    }
}
