import CMicrohttpd
import CMicrohttpdShim
import LatchkeyModel
import LatchkeyWire

/// The validated request line and header fields of a request.
struct RequestHead {
    /// The request, without its body.
    private(set) var request: HTTP.Request

    /// The length of the body, or `nil` if the body is chunked.
    private(set) var bodyLength: Int?

    /// Whether the request uses HTTP/1.0.
    let isVersion10: Bool

    /// Validates the header of the request that the library is currently processing.
    ///
    /// Throws the response to send if the header is too large, malformed or ambiguous, or if it announces a
    /// body that exceeds the limit.
    init(
        of connection: OpaquePointer,
        method: UnsafePointer<CChar>,
        target: RequestTarget,
        version: UnsafePointer<CChar>,
        configuration: HTTPServer.Configuration
    ) throws(Refusal) {
        let size = latchkey_mhd_header_size(connection)
        let count = Int(MHD_get_connection_values_n(connection, .HEADER_KIND, nil, nil))
        guard size <= configuration.headerLimit, count <= configuration.headerCountLimit else {
            throw .headerTooLarge
        }
        guard
            !HeadLayout.isKnown
                || HeadLayout.isStrict(
                    method: method,
                    target: target,
                    version: version,
                    size: size,
                    fields: count
                )
        else { throw .malformed("The request header is not valid HTTP.") }
        guard target.isWellFormed else {
            throw .malformed("The request target is not valid for this server.")
        }

        var fields = FieldReader(capacity: count)
        withUnsafeMutablePointer(to: &fields) { reader in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, readField, reader)
        }
        // The library only accepts `HTTP/1.` followed by a digit.
        isVersion10 = version[7] == CChar(bitPattern: UInt8(ascii: "0"))
        try fields.validate(isVersion10: isVersion10)
        if let length = fields.length, length > configuration.bodyLimit { throw .bodyTooLarge }

        bodyLength = fields.length
        request = HTTP.Request(
            HTTP.Method(rawValue: String(cString: method)),
            target.path,
            query: target.query,
            headers: fields.headers
        )
        if let authority = target.authority { request.headers["Host"] = authority }
    }
}

/// Collects header fields and counts those that determine routing and framing.
private struct FieldReader {
    private(set) var headers: HTTP.Headers = [:]
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    private var lengthText = ""
    private var coding = ""
    private var hasValidNames = true

    init(capacity: Int) {
        headers.fields.reserveCapacity(capacity)
    }

    /// Adds a field after trimming trailing white space from its value.
    ///
    /// A value that isn't UTF-8 is read as ISO-8859-1 (RFC 9110 §5.5), because a proxy or another application's
    /// cookie must not make a request fail. All fields that the server interprets are ASCII.
    mutating func read(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        var end = value.count
        while end > 0, value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
        guard let name = try? String(utf8: name) else {
            hasValidNames = false
            return
        }
        let value = UnsafeRawBufferPointer(rebasing: value[..<end])
        let text = (try? String(utf8: value)) ?? String(latin1: value)
        let field = HTTP.Headers.Field(name: name, value: text)
        switch name.utf8.count {
        case 4 where field.name.equalsIgnoringASCIICase("host"):
            hosts += 1
        case 14 where field.name.equalsIgnoringASCIICase("content-length"):
            lengths += 1
            lengthText = field.value
        case 17 where field.name.equalsIgnoringASCIICase("transfer-encoding"):
            codings += 1
            // We do not trim the value because the library only recognizes the chunked coding in its exact
            // form.
            coding = String(decoding: value, as: UTF8.self)
        default:
            break
        }
        headers.fields.append(field)
    }

    /// Throws a refusal if two implementations could interpret the request differently.
    func validate(isVersion10: Bool) throws(Refusal) {
        guard hasValidNames else {
            throw .malformed("The name of a header field of the request is not UTF-8.")
        }
        guard hosts == 1 || (hosts == 0 && isVersion10) else {
            throw .malformed("A request must have exactly one Host header field.")
        }
        guard lengths + codings <= 1, codings == 0 || !isVersion10 else {
            throw .malformed("The length of the request body is ambiguous.")
        }
        guard codings == 0 || coding.equalsIgnoringASCIICase("chunked") else {
            throw .malformed("The transfer coding of the request body is not supported.")
        }
        guard lengths == 0 || Int(lengthText) != nil else {
            throw .malformed("The Content-Length of the request is not a number.")
        }
    }

    /// The announced length of the body, which is 0 if there is no body, or `nil` if the body is chunked.
    var length: Int? {
        if codings > 0 { return nil }
        return Int(lengthText) ?? 0
    }
}

extension String {
    /// Creates a string from text in ISO-8859-1, in which each byte is the number of a character.
    fileprivate init(latin1 bytes: some Collection<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

private func readField(
    reader: UnsafeMutableRawPointer?,
    kind: MHD_ValueKind,
    name: UnsafePointer<CChar>?,
    nameSize: Int,
    value: UnsafePointer<CChar>?,
    valueSize: Int
) -> MHD_Result {
    reader?.assumingMemoryBound(to: FieldReader.self).pointee.read(
        name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
    )
    return .YES
}
