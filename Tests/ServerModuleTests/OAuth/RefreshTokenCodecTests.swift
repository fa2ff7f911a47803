import LatchkeyModel
import Testing

@testable import LatchkeyOAuth
@testable import LatchkeyServerKit

@Suite struct `Refresh token encoding` {
    private let token = RefreshToken(session: Identifier(), number: 4_000_000_000)
    private let secret = [UInt8](repeating: 7, count: 32)

    private func codec(_ signing: [UInt8], _ older: [UInt8]...) -> RefreshTokenCodec {
        RefreshTokenCodec(prefix: "lk_rt_", secrets: ServerSecrets(signing: signing, older: older))
    }

    @Test func `Encoding is deterministic and can be reversed`() {
        let text = codec(secret).write(token)

        #expect(codec(secret).write(token) == text)
        #expect(codec(secret).read(text) == token)
        #expect(text.exposed.count == 6 + 71)
    }

    @Test func `Any secret can be used to decode, but only the first one is used to encode`() {
        let other = [UInt8](repeating: 9, count: 32)
        let text = codec(secret).write(token)

        #expect(codec(other, secret).read(text) == token)
        #expect(codec(other).read(text) == nil)
        #expect(codec(other, secret).write(token) == codec(other).write(token))
    }

    @Test func `A token is rejected if any bit has been changed`() throws {
        let text = codec(secret).write(token).exposed
        let bytes = try #require(Base64URL.decode(text.dropFirst(6)))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(codec(secret).read(Secret("lk_rt_" + Base64URL.encode(changed))) == nil)
        }
        for wrong in [
            "", "lk_rt_", String(text.dropFirst(6)), text + "A", String(text.dropLast()), "x" + text,
        ] {
            #expect(codec(secret).read(Secret(wrong)) == nil)
        }
    }
}
