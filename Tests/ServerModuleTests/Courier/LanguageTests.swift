import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `Language negotiation` {
    @Test(
        arguments: [
            ("sv", .swedish), ("SV", .swedish), ("sv-FI", .swedish), ("fi-FI, sv;q=0.8", .finnish),
            ("no", .norwegian), ("nn-NO", .norwegian), ("nb-NO,nb;q=0.9,en-US;q=0.8", .norwegian),
            ("de, fr;q=0.9, fi;q=0.1", .finnish), ("en;q=0.5, sv;q=0.7", .swedish),
            ("en;q=0.5, sv;q=0.5", .english), ("sv;q=0.001,fi;q=0", .swedish),
            (" sv ; q=1.0 ", .swedish), ("fi;Q=0.9,en;q=0.89", .finnish),
            ("", nil), ("*", nil), ("de", nil), ("sv;q=0", nil), ("svx", nil), ("s", nil), ("-sv", nil),
            ("sv;q=2", nil), ("sv;q=2.5", nil), ("sv;q=0.1234", nil), ("sv;q=1.001", nil), ("sv;q=-1", nil),
            ("sv;q", nil),
            ("sv;q=0.5;q=1", nil), (";;,,;q=1", nil), ("sv\u{0}", nil), ("sv\u{37E}q=0.5", nil),
            ("sv;q= 1", nil), ("sv;q=.5", nil), ("sv;q=00", nil), ("s v", nil), ("sv;q=1.", .swedish),
            ("sv;q=0.\u{661}", nil), ("sv;", nil),
        ] as [(String, Language?)]
    )
    func `The language with the highest weight is chosen`(field: String, language: Language?) {
        #expect(Language(acceptLanguage: field) == language)
    }

    @Test func `Accept-Language is ignored after the first kilobyte`() {
        #expect(Language(acceptLanguage: String(repeating: "de,", count: 1000) + "sv") == nil)
    }

    @Test(
        arguments: [
            (Optional("fi"), Language.finnish), (Optional("de"), .swedish), (nil, .swedish),
        ] as [(String?, Language)]
    )
    func `The operator's language is used if the client doesn't request a supported one`(
        field: String?,
        language: Language
    ) {
        var request = HTTP.Request(.get, "/")
        request.headers["Accept-Language"] = field
        let context = RequestContext(request, from: .inProcess, at: Timestamp(seconds: 0))
        #expect(Language(of: context, default: .swedish) == language)
    }
}
