import CMicrohttpd
import CMicrohttpdShim
import LatchkeyWire

extension Connection {
    /// Queues a response in libmicrohttpd, which adds its date and length and omits a body that is not
    /// allowed.
    func queue(_ response: HTTP.Response, on handle: OpaquePointer) -> MHD_Result {
        let created = response.body.withUnsafeBytes { body in
            MHD_create_response_from_buffer(
                body.count,
                UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        guard let created else { return .NO }
        defer { MHD_destroy_response(created) }
        for field in response.headers.fields where !Self.isSetByLibrary(field.name) {
            // The library rejects invalid header fields, which are therefore omitted.
            _ = MHD_add_response_header(created, field.name, field.value)
        }
        if isDraining { _ = MHD_add_response_header(created, "Connection", "close") }
        let status = (200...599).contains(response.status) ? response.status : 500
        return latchkey_mhd_queue(handle, UInt32(status), created)
    }

    /// Returns whether a field determines the framing of the response; the library sets these fields itself.
    private static func isSetByLibrary(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.equalsIgnoringASCIICase("content-length")
        case 17: name.equalsIgnoringASCIICase("transfer-encoding")
        default: false
        }
    }
}
