import LatchkeyCore
import LatchkeyWire
import Testing

@Suite struct `User agents` {
    @Test(arguments: [
        ("com.example.shop", "com.example.shop "), ("My Shop", "My-Shop "), ("a\r\nX: y", "a--X--y "),
        ("(a/b)", "-a-b- "),
        ("é", "-- "), (String(repeating: "x", count: 200), String(repeating: "x", count: 100) + " "),
        ("", ""),
    ])
    func `The user agent contains the names of the app and the SDK`(_ app: String, _ product: String) {
        #expect(ClientHeaders(app: app).userAgent == "\(product)Latchkey/\(Release.version)")
    }
}
