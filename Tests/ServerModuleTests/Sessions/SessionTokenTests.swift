import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import Testing

@Suite struct `Session tokens` {
    @Test func `A token consists of its prefix and 32 letters and digits`() {
        let token = SessionToken(prefix: "lk_st_", random: SeededRandom()).secret.exposed
        #expect(token.hasPrefix("lk_st_"))
        #expect(token.utf8.count == 38)
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        #expect(token.dropFirst(6).allSatisfy(letters.contains))
    }

    @Test func `All characters are equally likely`() {
        var counts: [UInt8: Int] = [:]
        let random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            for letter in SessionToken(prefix: "", random: random).secret.exposed.utf8 {
                counts[letter, default: 0] += 1
            }
        }
        // In 64,000 characters, each one occurs 1,032 times on average, with a standard deviation of 32. If
        // we just used the remainder of a division, some characters would occur 1,250 times.
        #expect(counts.count == 62)
        #expect(counts.values.allSatisfy { (850...1200).contains($0) })
    }

    @Test func `Only the hash of a token is stored`() {
        let token = SessionToken(prefix: "lk_st_", random: SeededRandom())
        #expect(token.hash == SHA256.hash(Array(token.secret.exposed.utf8)))
        #expect(SessionToken(presented: token.secret).hash == token.hash)
        #expect(!"\(token)".contains(token.secret.exposed))
    }
}
