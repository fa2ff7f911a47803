package import LatchkeyWire

extension HTTP.Response {
    /// Creates a response with a JSON body.
    package static func json(_ status: Int, _ text: String) -> HTTP.Response {
        HTTP.Response(
            status,
            headers: ["Content-Type": "application/json; charset=utf-8"],
            body: Array(text.utf8)
        )
    }

    /// Creates an error response in the server's format.
    package static func refusal(
        _ status: Int,
        _ id: String? = nil,
        reason: String = "Because."
    ) -> HTTP.Response {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        let phrase = status == 401 ? "Unauthorized" : "Refused"
        return .json(
            status,
            #"{"error":{\#(id)"code":\#(status),"status":"\#(phrase)","reason":"\#(reason)","message":"No."}}"#
        )
    }
}
