import Testing

@testable import LatchkeyCommand

@Suite struct `Scheme of a native client` {
    @Test(arguments: [
        ("shop", "https://id.example.com", "com.example.id.shop"),
        ("shop", "https://ID.Example.com:8443", "com.example.id.shop"),
        ("Shop-App.1", "https://id.example.com", "com.example.id.shop-app.1"),
        ("9a8cbfb3-87bd", "https://example.com", "com.example.9a8cbfb3-87bd"),
        ("shop", "https://1and1.example", "example.1and1.shop"),
        ("shop", "https://xn--bcher-kva.example", "example.xn--bcher-kva.shop"),
        ("shop", "http://localhost:4433", "localhost.shop"),
        ("shop", "http://127.0.0.1:4433", "localhost.shop"),
        ("shop", "http://[::1]:4433", "localhost.shop"),
    ])
    func `The scheme is the host in reverse order and the id`(id: String, url: String, scheme: String) throws
    {
        #expect(try NativeScheme.scheme(of: id, at: url) == scheme)
    }

    @Test(arguments: [
        ("shop", "https://192.0.2.1"), ("shop", "https://[2001:db8::1]"), ("shop", "nonsense"),
        ("sh_op", "https://id.example.com"), ("a:b", "https://id.example.com"),
        ("a/b", "https://id.example.com"), ("shöp", "https://id.example.com"),
        ("shop", "https://my_host.example.com"),
    ])
    func `There is no scheme without a host name or with an unsuitable id`(id: String, url: String) {
        let failure = #expect(throws: CommandFailure.self) { try NativeScheme.scheme(of: id, at: url) }

        #expect(failure?.code == .usage)
    }
}
