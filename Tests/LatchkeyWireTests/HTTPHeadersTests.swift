import LatchkeyWire
import Testing

@Suite struct `Header fields` {
    @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE", "cOnTeNt-TyPe"])
    func `are found in any case`(name: String) {
        let headers: HTTPHeaders = ["X-First": "1", "Content-Type": "text/plain"]

        #expect(headers[name] == "text/plain")
    }

    // Pairs that differ in the bit that tells the case of letters, but are no letters; and others.
    @Test(arguments: [
        ("X@", "X`"), ("X[", "X{"), ("X^", "X~"), ("X_", "X\u{7F}"), ("X-", "X\r"), ("X1", "X\u{11}"),
        ("Xé", "XÉ"), ("K", "\u{212A}"), ("X", "XX"), ("X", ""), ("a-b", "a_b"),
    ])
    func `are not found by another name`(name: String, other: String) {
        var headers: HTTPHeaders = [:]
        headers[name] = "1"

        #expect(headers[name] == "1")
        #expect(headers[other] == nil)
    }

    @Test func `keep their order and their repetitions`() {
        let headers: HTTPHeaders = ["Set-Cookie": "a", "X": "1", "set-cookie": "b"]

        #expect(headers["SET-COOKIE"] == "a")
        #expect(headers.all("Set-Cookie") == ["a", "b"])
        #expect(headers.all("Y") == [])
        #expect(headers.fields.map(\.name) == ["Set-Cookie", "X", "set-cookie"])
    }

    @Test func `are replaced and removed together`() {
        var headers: HTTPHeaders = ["a": "1", "b": "2", "A": "3"]

        headers["A"] = "4"
        #expect(headers.all("a") == ["4"])
        #expect(headers["b"] == "2")

        headers["a"] = nil
        #expect(headers.all("A") == [])
        #expect(headers.fields.count == 1)
    }
}
