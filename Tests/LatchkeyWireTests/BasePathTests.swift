import LatchkeyWire
import Testing

@Suite struct `Base paths` {
    @Test(arguments: ["", "/a", "/auth/a", "/a.b_c~d-e", "/a%2Fb", "/a@b"])
    func `A base path is empty or starts with a slash`(_ text: String) {
        #expect(BasePath(text)?.text == text)
    }

    @Test(arguments: [
        "a", "m/a", "@evil.example", ".evil.example", ":8443", "/", "//", "//evil.example", "/a/", "/a//b",
        "/..", "/a/../b",
        "/./a", "/%2e%2E/a", "/a/.%2e", "/a?b", "/a#b", "/a b", "/a\\b", "/a\r\nb", "/a\0", "/é", " /a",
    ])
    func `A base path that could change other parts of the URL is rejected`(_ text: String) {
        #expect(BasePath(text) == nil)
    }
}
