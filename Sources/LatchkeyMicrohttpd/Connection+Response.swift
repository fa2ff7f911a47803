import CMicrohttpd
import CMicrohttpdShim
import LatchkeyWire

extension Connection {
    /// Queues a response in libmicrohttpd.
    ///
    /// The library adds the date and the length, and it omits the body where HTTP does not allow one.
    func queue(_ response: HTTP.Response, on handle: OpaquePointer) -> MHD_Result {
        guard let created = response.stream.map(create) ?? create(response.body) else { return .NO }
        defer { MHD_destroy_response(created) }
        for field in response.headers.fields where !Self.isSetByLibrary(field.name) {
            // We skip invalid header fields because the library rejects them.
            Self.add(field, to: created)
        }
        if isDraining { _ = MHD_add_response_header(created, "Connection", "close") }
        let status = (200...599).contains(response.status) ? response.status : 500
        return latchkey_mhd_queue(handle, UInt32(status), created)
    }

    /// Adds a header field to a response.
    private static func add(_ field: HTTP.Headers.Field, to response: OpaquePointer) {
        // A string that is passed without `withCString` is copied to an array first.
        field.name.withCString { name in
            field.value.withCString { value in
                _ = MHD_add_response_header(response, name, value)
            }
        }
    }

    /// Creates a libmicrohttpd response with a copy of the body, or returns `nil` if there is not enough
    /// memory.
    private func create(_ body: [UInt8]) -> OpaquePointer? {
        body.withUnsafeBytes { body in
            MHD_create_response_from_buffer(
                body.count,
                UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
    }

    /// Creates a libmicrohttpd response that requests its body in chunks, or returns `nil` if there is not
    /// enough memory.
    private func create(_ stream: HTTP.BodyStream) -> OpaquePointer? {
        let body = Unmanaged.passRetained(begin(stream))
        // `UInt64.max` means that the size is unknown, so the library uses chunked transfer coding. The block
        // size only matters for HTTP/1.0 clients.
        let created = MHD_create_response_from_callback(
            UInt64.max,
            1024,
            readStreamedBody,
            body.toOpaque(),
            releaseStreamedBody
        )
        if created == nil { releaseStreamedBody(context: body.toOpaque()) }
        return created
    }

    /// Returns whether a field determines the framing of the response.
    ///
    /// The library sets these fields itself.
    private static func isSetByLibrary(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.equalsIgnoringASCIICase("content-length")
        case 17: name.equalsIgnoringASCIICase("transfer-encoding")
        default: false
        }
    }
}
