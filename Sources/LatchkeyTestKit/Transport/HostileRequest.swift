import LatchkeyWire

/// A request that would reach another server or contain a second request if its components were simply
/// joined.
struct HostileRequest: Sendable, CustomStringConvertible {
    /// The request to send.
    ///
    /// Some requests are only hostile in combination with ``origin``.
    let request: HTTP.Request
    /// The origin that the request is sent to, which may itself be malformed.
    let origin: String

    /// The quoted components of the request, with control characters escaped, for use in the description of a
    /// violation.
    var description: String {
        let fields = request.headers.fields.map { "\($0.name): \($0.value)" }
        let parts = [origin, request.method.rawValue, request.path, request.query ?? ""] + fields
        return parts.map(\.debugDescription).joined(separator: " ")
    }

    /// Returns all hostile requests.
    ///
    /// - Parameters:
    ///   - server: The loopback port of the server that the origins refer to.
    ///   - foreign: The loopback port of a server that must not be reached.
    /// - Returns: Requests that a transport must reject with `invalidRequest`.
    static func all(server: Int, foreign: Int) -> [HostileRequest] {
        let origin = "http://127.0.0.1:\(server)"
        var all = paths(foreign).map { HostileRequest(request: HTTP.Request(.get, $0), origin: origin) }
        // If the path were simply appended to these origins, it would become the port or the end of the host
        // name.
        all += [
            HostileRequest(request: HTTP.Request(.get, ":\(foreign)/x"), origin: "http://127.0.0.1"),
            HostileRequest(request: HTTP.Request(.get, ".1:\(foreign)/x"), origin: "http://127.0.0"),
            HostileRequest(
                request: HTTP.Request(.get, "@127.0.0.1:\(foreign)/x"),
                origin: "http://id.invalid"
            ),
        ]
        for query in ["a b", "a\r\nX: y", "a\nb", "a#b", "a\\b", "é", "a\0b"] {
            all.append(HostileRequest(request: HTTP.Request(.get, "/", query: query), origin: origin))
        }
        all += origins(server: server, foreign: foreign).map {
            HostileRequest(request: HTTP.Request(.get, "/x"), origin: $0)
        }
        for method in ["", "GET /x HTTP/1.1\r\nX: y\r\n\r\nGET", "GE T", "GÉT", "GET\n"] {
            all.append(
                HostileRequest(request: HTTP.Request(HTTP.Method(rawValue: method), "/"), origin: origin)
            )
        }
        all += [
            ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\0b"), ("X: y\r\nZ", "b"),
            ("X\nY", "b"),
            ("X Y", "b"), ("X:", "b"), ("", "b"),
        ].map { name, value in
            var request = HTTP.Request(.get, "/")
            request.headers.fields = [HTTP.Headers.Field(name: name, value: value)]
            return HostileRequest(request: request, origin: origin)
        }
        return all
    }

    /// Returns paths that don't start with exactly one slash, or that contain unencoded characters.
    private static func paths(_ foreign: Int) -> [String] {
        [
            "", "x", "x/y", "@127.0.0.1:\(foreign)/x", "a@127.0.0.1:\(foreign)/x", ":\(foreign)/x",
            ".example/x",
            "//127.0.0.1:\(foreign)/x", "///x", "\\x", "/\\127.0.0.1:\(foreign)/x", "?x=1", "#x", " /x",
            "http://127.0.0.1:\(foreign)/x", "/a b", "/a\r\nX: y", "/a\nb", "/a\tb", "/a\0b", "/a\u{7F}",
            "/é",
            "/a?b", "/a#b", "/a\\b",
        ]
    }

    /// Returns malformed origins, which don't consist of just a scheme, a host and a port.
    private static func origins(server: Int, foreign: Int) -> [String] {
        [
            "", "127.0.0.1:\(foreign)", "//127.0.0.1:\(foreign)", "http:127.0.0.1:\(foreign)", "http://",
            "ftp://127.0.0.1:\(foreign)", "file:///etc/passwd", "http://127.0.0.1:\(foreign)/",
            "http://127.0.0.1:\(foreign)/base", "http://127.0.0.1:\(foreign)?x",
            "http://127.0.0.1:\(foreign)#x",
            "http://127.0.0.1:\(foreign)\\", "http://127.0.0.1:\(foreign)\r\n",
            "http://127.0.0.1:\(foreign) ",
            "http://user:password@127.0.0.1:\(foreign)", "http://127.0.0.1:\(server)@127.0.0.1:\(foreign)",
            "http://127.0.0.1:70000", "http://127.0.0.1:",
        ]
    }
}
