import LatchkeyModel
package import LatchkeyWire

/// A static file that pages load.
///
/// Its URL contains a hash of its content, so browsers never have to ask whether it has changed.
package struct PageAsset: Sendable {
    /// The path, relative to the server's URL.
    package let path: String
    package let bytes: [UInt8]
    let name: String
    private let type: String

    private init(name: String, suffix: String, type: String, text: String) {
        bytes = Array(text.utf8)
        let hash = Base64URL.encode(Array(SHA256Hash.hash(bytes).prefix(9)))
        self.name = name
        path = "/assets/\(name)-\(hash).\(suffix)"
        self.type = type
    }

    package static let stylesheet = PageAsset(
        name: "pages",
        suffix: "css",
        type: "text/css; charset=utf-8",
        text: stylesheetText
    )

    package static let icon = PageAsset(
        name: "icon",
        suffix: "svg",
        type: "image/svg+xml",
        text: """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
            <rect width="32" height="32" rx="7" fill="#1a56b8"/>\
            <circle cx="12" cy="16" r="5" fill="none" stroke="#fff" stroke-width="3"/>\
            <path d="M17 16h9v4m-4-4v3" fill="none" stroke="#fff" stroke-width="3"/></svg>
            """
    )

    package static let all = [stylesheet, icon]

    /// The media type without its parameters.
    var mediaType: String { String(type.prefix { $0 != ";" }) }

    /// The response to a request for the file.
    package var response: HTTP.Response {
        HTTP.Response(
            200,
            headers: [
                "Content-Type": type,
                "Cache-Control": "public, max-age=31536000, immutable",
                "X-Content-Type-Options": "nosniff",
                // The icon can be opened as a document of its own.
                "Content-Security-Policy": "default-src 'none'",
            ],
            body: bytes
        )
    }
}
