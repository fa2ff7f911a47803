import LatchkeyWire
import Testing

@Suite struct `HTTP headers` {
    @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE", "cOnTeNt-TyPe"])
    func `Field names are case-insensitive`(name: String) {
        let headers: HTTP.Headers = ["X-First": "1", "Content-Type": "text/plain"]

        #expect(headers[name] == "text/plain")
    }

    // Some of these names differ only in the bit that distinguishes uppercase from lowercase letters, but the
    // differing characters aren't ASCII letters.
    @Test(arguments: [
        ("X@", "X`"), ("X[", "X{"), ("X^", "X~"), ("X_", "X\u{7F}"), ("X-", "X\r"), ("X1", "X\u{11}"),
        ("Xé", "XÉ"), ("K", "\u{212A}"), ("X", "XX"), ("X", ""), ("a-b", "a_b"),
    ])
    func `Looking up a similar field name returns nil`(name: String, other: String) {
        var headers: HTTP.Headers = [:]
        headers[name] = "1"

        #expect(headers[name] == "1")
        #expect(headers[other] == nil)
    }

    @Test func `Repeated fields are kept in their original order`() {
        let headers: HTTP.Headers = ["Set-Cookie": "a", "X": "1", "set-cookie": "b"]

        #expect(headers["SET-COOKIE"] == "a")
        #expect(headers.all("Set-Cookie") == ["a", "b"])
        #expect(headers.all("Y") == [])
        #expect(headers.fields.map(\.name) == ["Set-Cookie", "X", "set-cookie"])
    }

    @Test func `All fields with the same name are replaced and removed together`() {
        var headers: HTTP.Headers = ["a": "1", "b": "2", "A": "3"]

        headers["A"] = "4"
        #expect(headers.all("a") == ["4"])
        #expect(headers["b"] == "2")

        headers["a"] = nil
        #expect(headers.all("A") == [])
        #expect(headers.fields.count == 1)
    }
}
