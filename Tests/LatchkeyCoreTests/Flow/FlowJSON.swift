import LatchkeyWire

/// JSON for flows, in the form in which identity servers send it.
enum FlowJSON {
    /// A login form with an identifier, a password and a code.
    static let loginNodes = """
        {"type":"input","group":"default","attributes":{"name":"csrf_token","type":"hidden","value":"",
        "required":true,"disabled":false,"node_type":"input"},"messages":[],"meta":{}},
        {"type":"input","group":"default","attributes":{"name":"identifier","type":"text","value":"",
        "required":true,"disabled":false,"node_type":"input"},"messages":[],
        "meta":{"label":{"id":1070004,"text":"ID","type":"info"}}},
        {"type":"input","group":"code","attributes":{"name":"method","type":"submit","value":"code",
        "disabled":false,"node_type":"input"},"messages":[],
        "meta":{"label":{"id":1010015,"text":"Send code","type":"info"}}},
        {"type":"input","group":"password","attributes":{"name":"password","type":"password",
        "value":"echoed","required":true,"autocomplete":"current-password","disabled":false,
        "node_type":"input"},"messages":[{"id":4000002,"text":"Enter a password.","type":"error",
        "context":{"property":"password"}}],"meta":{}},
        {"type":"input","group":"password","attributes":{"name":"method","type":"submit",
        "value":"password","disabled":false,"node_type":"input"},"messages":[],"meta":{}}
        """

    /// A form in which the user enters a code.
    static let codeNodes = """
        {"type":"input","group":"default","attributes":{"name":"identifier","type":"hidden",
        "value":"user@example.org","required":true,"disabled":false,"node_type":"input"},"messages":[],
        "meta":{}},
        {"type":"input","group":"code","attributes":{"name":"method","type":"hidden","value":"code",
        "disabled":false,"node_type":"input"},"messages":[],"meta":{}},
        {"type":"input","group":"code","attributes":{"name":"code","type":"text","required":true,
        "pattern":"[0-9]+","maxlength":6,"autocomplete":"one-time-code","disabled":false,
        "node_type":"input"},"messages":[],"meta":{"label":{"id":1070013,"text":"Code","type":"info"}}},
        {"type":"input","group":"code","attributes":{"name":"resend","type":"submit","value":"code",
        "disabled":false,"node_type":"input"},"messages":[],"meta":{}}
        """

    static func flow(
        id: String = "0b85bd99-e820-4fde-ad3b-931fa9891e92",
        state: String = "choose_method",
        nodes: String = loginNodes,
        messages: String = "",
        action: String = "https://id.example.com/a/self-service/login?flow=x",
        more: String = ""
    ) -> String {
        """
        {"id":"\(id)","type":"api","expires_at":"2026-11-21T08:21:24.629842239Z","organization_id":null,
        "issued_at":"2026-11-21T08:11:24Z","request_url":"https://id.example.com/x","active":"code",
        "ui":{"action":"\(action)","method":"POST","nodes":[\(nodes)],"messages":[\(messages)]},
        "state":"\(state)"\(more)}
        """
    }

    static func message(_ id: Int, _ text: String, type: String = "error") -> String {
        #"{"id":\#(id),"text":"\#(text)","type":"\#(type)"}"#
    }

    static func value(_ text: String) throws -> JSONValue {
        try JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
    }
}
