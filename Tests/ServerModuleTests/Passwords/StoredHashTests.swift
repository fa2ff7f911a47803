import LatchkeyAccounts
import LatchkeyModel
import Testing

@Suite struct `Imported password hashes` {
    /// Test vectors from RFC 7914 (scrypt, and PBKDF2 with SHA-256) and RFC 6070 (PBKDF2 with SHA-1), with
    /// the digests in Base64.
    @Test(arguments: [
        (
            "$scrypt$ln=16384,r=8,p=1$U29kaXVtQ2hsb3JpZGU=$"
                + "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw==",
            "pleaseletmein"
        ),
        (
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$"
                + "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
            "pleaseletmein"
        ),
        (
            "$pbkdf2-sha256$i=1,l=64$c2FsdA$"
                + "VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLxJypzM8Xm2RZkWZLOdd+8xfHG4RbHjC9UJESBB06GXgw",
            "passwd"
        ),
        ("$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE", "password"),
    ])
    func `Only the right password matches a hash`(text: String, password: String) throws {
        let hash = try StoredHash(text)
        let hashing = DerivedKeyHashing()

        #expect(hash.text == text)
        #expect(try hashing.matches(Secret(password), hash: hash) == true)
        #expect(try hashing.matches(Secret(password + "x"), hash: hash) == false)
        #expect(try hashing.matches(Secret(password + "\0"), hash: hash) == false)
        #expect(try hashing.matches("", hash: hash) == false)
    }

    private static let salt = "c2FsdHNhbHRzYWx0c2FsdA"
    private static let digest = "VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw"

    @Test(arguments: [
        "$argon2id$v=19$m=262144,t=4,p=16$\(salt)$\(digest)",
        "$argon2i$v=19$m=65536,t=2,p=1$\(salt)$\(digest)",
        "$2b$14$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$scrypt$ln=131072,r=8,p=1$\(salt)$\(digest)",
        "$pbkdf2-sha256$i=2000000,l=32$\(salt)$\(digest)",
        "$pbkdf2-sha512$i=2000000,l=32$\(salt)$\(digest)",
    ])
    func `Hashes are accepted up to a maximum cost`(text: String) {
        #expect(throws: Never.self) { try StoredHash(text) }
    }

    @Test(arguments: [
        // Each of these hashes has a parameter that exceeds its maximum.
        "$argon2id$v=19$m=262145,t=1,p=1$\(salt)$\(digest)",
        "$argon2id$v=19$m=64,t=5,p=1$\(salt)$\(digest)",
        "$argon2id$v=19$m=1024,t=1,p=17$\(salt)$\(digest)",
        "$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$scrypt$ln=262144,r=8,p=1$\(salt)$\(digest)", "$scrypt$ln=18,r=8,p=1$\(salt)$\(digest)",
        "$scrypt$ln=16384,r=33,p=1$\(salt)$\(digest)", "$scrypt$ln=16384,r=8,p=17$\(salt)$\(digest)",
        "$scrypt$ln=131072,r=8,p=2$\(salt)$\(digest)",
        "$pbkdf2-sha256$i=2000001,l=32$\(salt)$\(digest)",
        // These hashes are incomplete or not supported.
        "", "$", "plain", "$1$abc$def", "$6$abc$def", "{SSHA}abc", "$argon2id$",
        "$argon2d$v=19$m=64,t=1,p=1$\(salt)$\(digest)",
        "$argon2id$v=16$m=64,t=1,p=1$\(salt)$\(digest)", "$argon2id$m=64,t=1,p=1$\(salt)$\(digest)",
        "$argon2id$v=19$m=7,t=1,p=1$\(salt)$\(digest)", "$argon2id$v=19$m=64,t=0,p=1$\(salt)$\(digest)",
        "$argon2id$v=19$t=1,m=64,p=1$\(salt)$\(digest)", "$argon2id$v=19$m=64,t=1,p=1$\(salt)$\(digest)$",
        "$argon2id$v=19$m=64,t=1,p=1$\(salt)$\(digest)=", "$argon2id$v=19$m=64,t=1,p=1$!$\(digest)",
        "$argon2id$v=19$m=99999999999999999999,t=1,p=1$\(salt)$\(digest)",
        "$2b$3$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO:W",
        "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$scrypt$ln=16385,r=8,p=1$\(salt)$\(digest)", "$scrypt$ln=33,r=8,p=1$\(salt)$\(digest)",
        "$scrypt$ln=16384,r=8,p=1$\(salt)$", "$pbkdf2-md5$i=1,l=32$\(salt)$\(digest)",
        "$pbkdf2-sha256$i=1000,l=31$\(salt)$\(digest)", "$pbkdf2-sha256$i=1000,l=32$\(salt)$AAAA",
    ])
    func `Malformed or expensive hashes are rejected without hashing`(text: String) {
        #expect(throws: StoredHash.Refusal.self) { try StoredHash(text) }
    }

    @Test(arguments: [
        ("$argon2id$v=19$m=262145,t=1,p=1$\(salt)$\(digest)", "m up to 262144 (256 MiB), t up to 4"),
        ("$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "a cost up to 14"),
        ("$scrypt$ln=18,r=8,p=1$\(salt)$\(digest)", "N up to 131072"),
        ("$pbkdf2-sha256$i=2000001,l=32$\(salt)$\(digest)", "i up to 2000000"),
        // Each block of the digest takes all iterations.
        ("$pbkdf2-sha1$i=1000001,l=32$\(salt)$\(digest)", "i up to 1000000 for a digest of 32 bytes"),
    ])
    func `The refusal of an expensive hash names the limit`(text: String, limit: String) {
        let refusal = #expect(throws: StoredHash.Refusal.self) { try StoredHash(text) }
        #expect(refusal?.reason.contains(limit) == true, "\(refusal?.reason ?? "")")
    }
}
