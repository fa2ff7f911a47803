import CMicrohttpd
import CMicrohttpdShim
import LatchkeyWire

extension Connection {
    /// Gives an answer to the library, which adds date and length, and sends no body where none may be.
    func queue(_ response: HTTPResponse, on handle: OpaquePointer) -> MHD_Result {
        let created = response.body.withUnsafeBytes { body in
            MHD_create_response_from_buffer(
                body.count,
                UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        guard let created else { return .NO }
        defer { MHD_destroy_response(created) }
        for field in response.headers.fields where !Self.isOfTheLibrary(field.name) {
            // What cannot stand in a header is left out: the library refuses it.
            _ = MHD_add_response_header(created, field.name, field.value)
        }
        if isDraining { _ = MHD_add_response_header(created, "Connection", "close") }
        let status = (200...599).contains(response.status) ? response.status : 500
        return latchkey_mhd_queue(handle, UInt32(status), created)
    }

    /// Whether a field says how the answer is framed, which is the library's to say.
    private static func isOfTheLibrary(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.equalsIgnoringASCIICase("content-length")
        case 17: name.equalsIgnoringASCIICase("transfer-encoding")
        default: false
        }
    }
}
