import LatchkeyCore
import LatchkeyWire
import Testing

@Suite struct `Request targets` {
    @Test(
        arguments: [
            ("https://id.example.com", "/", nil, "https://id.example.com/"),
            (
                "https://ID.example.com:443", "/a%2Fb/../c;d=@e", "x=1&y=?/",
                "https://id.example.com/a%2Fb/../c;d=@e?x=1&y=?/"
            ),
            ("http://[::1]:8080", "/a//b", "", "http://[::1]:8080/a//b?"),
        ] as [(String, String, String?, String)]
    )
    func `A URL is built from the origin, path and query`(
        _ origin: String,
        _ path: String,
        _ query: String?,
        _ url: String
    )
        throws
    {
        #expect(try HTTP.Request(.get, path, query: query).url(at: origin) == url)
    }

    @Test(arguments: [
        "", "x", "@evil.example/", ".evil.example/", ":8443/", "//evil.example/", "/a b", "/a?b", "/a#b",
        "/é", "/%", "/%4", "/a|b",
    ])
    func `An invalid path throws an error`(_ path: String) {
        let error = #expect(throws: TransportError.self) {
            try HTTP.Request(.get, path).url(at: "https://id.example.com")
        }
        #expect(error?.code == .invalidRequest && error?.neverSent == true)
    }

    @Test func `The error doesn't contain the URL because it may include secrets`() {
        let error = #expect(throws: TransportError.self) {
            try HTTP.Request(.get, "hidden-1", query: "hidden-2").url(
                at: "https://user:hidden-3@id.example.com"
            )
        }
        #expect(error?.message.contains("hidden") == false)
    }
}
