import LatchkeyModel
import LatchkeyWire
import Testing

@Suite struct `Query items` {
    @Test(arguments: [
        ("flow=1&a=2", "1"), ("a=2&flow=1", "1"), ("flow=1&flow=2", "1"), ("flow", ""), ("flow=", ""),
        ("flow=a=b", "a=b"), ("flow=a%3Db%26c", "a=b&c"), ("flow=a+b%2Bc", "a b+c"), ("%66low=1", "1"),
        ("&&flow=1&&", "1"), ("flow=%C3%A9", "é"), ("flow=100%", "100%"), ("flow=%zz%4", "%zz%4"),
        ("flow=%+1%-1", "% 1%-1"), ("flow=%25%32%35", "%25"), ("flow=%EF%BF%BD", "\u{FFFD}"), ("flow=é", "é"),
        ("flow=%2", "%2"), ("flow=%", "%"), ("flow=%%41", "%A"), ("flow=a?b/c", "a?b/c"),
    ])
    func `A query is decoded like a form`(query: String, value: String) {
        #expect(QueryItems(query)["flow"] == value)
    }

    @Test(arguments: [nil, "", "&", "=1", "Flow=1", "flows=1", "%=1", "a=flow", "=flow"])
    func `Looking up a missing name returns nil`(query: String?) {
        #expect(QueryItems(query)["flow"] == nil)
    }

    @Test func `Only the items before invalid UTF-8 are available`() {
        let items = QueryItems("a=1&b=%FF&c=3")

        #expect(items.failure == .encoding(InvalidUTF8(offset: 6)))
        #expect(items.names == ["a"])
        #expect(QueryItems("a=1&b=100%").failure == nil)
    }

    @Test(arguments: [
        ("/a/b", "/a/b"), ("a+b", "a+b"), ("%41%2f", "A/"), ("%C3%A9", "é"), ("100%", "100%"), ("%4", "%4"),
        ("%EF%BF%BD", "\u{FFFD}"),
    ])
    func `A path is decoded without turning plus signs into spaces`(path: String, text: String) throws {
        #expect(try PercentEncoding.decode(path) == text)
    }

    @Test(arguments: [("/a/%FF", 3), ("%C3", 0), ("a%C3%A9%C3", 7)])
    func `A path that is not UTF-8 is rejected with the position`(path: String, offset: Int) {
        #expect(throws: InvalidUTF8(offset: offset)) { try PercentEncoding.decode(path) }
    }

    @Test func `Every encoded text can be decoded`() {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(Character(scalar))b"
            let encoded = QueryItems.encode(text)
            #expect(QueryItems("x=\(encoded)&y=1")["x"]?.utf8.elementsEqual(text.utf8) == true, "\(value)")
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
        #expect(QueryItems.encode("aZ09-._~ +&=%") == "aZ09-._~%20%2B%26%3D%25")
    }
}
