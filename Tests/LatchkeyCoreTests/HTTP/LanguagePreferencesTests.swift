import LatchkeyCore
import Testing

@Suite struct `Language preferences` {
    @Test(arguments: [
        (["sv"], "sv"), (["sv-FI", "sv", "en"], "sv-FI, sv;q=0.9, en;q=0.8"), (["de", "DE", "de"], "de"),
        (["zh-Hant-TW", "sl-rozaj-1994"], "zh-Hant-TW, sl-rozaj-1994;q=0.9"),
        (
            (1...12).map { "en-x-v\($0)" },
            "en-x-v1, en-x-v2;q=0.9, en-x-v3;q=0.8, en-x-v4;q=0.7, en-x-v5;q=0.6, en-x-v6;q=0.5, en-x-v7;q=0.4, "
                + "en-x-v8;q=0.3, en-x-v9;q=0.2, en-x-v10;q=0.1"
        ),
    ])
    func `Languages are sent in order of preference`(_ tags: [String], _ value: String) throws {
        let headers = ClientHeaders(languages: try LanguagePreferences(tags))

        #expect(headers.acceptLanguage == value)
    }

    @Test func `The Accept-Language header isn't sent if there are no languages`() throws {
        #expect(try ClientHeaders(languages: LanguagePreferences([])).acceptLanguage == nil)
    }

    @Test(arguments: [
        "", "sv_SE", "sv-", "-sv", "s v", "sv,en", "sv;q=1", "*", "1a", "sv\r\nX: y", "svenskaspr", "é",
        "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s",
    ])
    func `Only valid language tags are accepted`(_ tag: String) {
        let error = #expect(throws: LatchkeyError.self) { try LanguagePreferences(["en", tag]) }

        #expect(error?.code == .invalidInput)
        #expect(error?.fields.map(\.name) == ["languages"])
    }

    @Test(arguments: [
        (["de-AT", "en-AT"], ["de-AT", "en-AT"]), (["zh-Hans-CN", "ZH-hans-cn"], ["zh-Hans-CN"]),
        (["en_US", "fr", ""], ["fr"]), (["*"], []), ([], []),
    ])
    func `Languages of the system that aren't language tags are left out`(
        _ languages: [String],
        tags: [String]
    ) {
        #expect(LanguagePreferences(preferred: languages).tags == tags)
    }

    @Test(arguments: [
        ([:], []), (["LANG": "C.UTF-8"], []), (["LANG": "POSIX"], []), (["LANG": ""], []),
        (["LANG": "sv_SE.UTF-8"], ["sv-SE"]), (["LANG": "ca_ES@valencia"], ["ca-ES"]),
        (["LANG": "sv_SE.UTF-8", "LC_MESSAGES": "fi_FI", "LC_ALL": ""], ["fi-FI"]),
        (["LANG": "sv_SE.UTF-8", "LC_ALL": "nb_NO"], ["nb-NO"]),
        (["LANG": "sv_SE.UTF-8", "LC_ALL": "C"], []),
        (["LANG": "sv_SE.UTF-8", "LANGUAGE": "sv_FI:fi:C:en"], ["sv-FI", "fi", "en"]),
        (["LANG": "sv_SE.UTF-8", "LANGUAGE": ":"], ["sv-SE"]),
        (["LANG": "C", "LANGUAGE": "sv"], []), (["LANGUAGE": "sv"], []),
        (["LANG": "no such locale"], []),
    ])
    func `Languages are read from environment variables`(
        _ environment: [String: String],
        _ tags: [String]
    ) {
        #expect(LanguagePreferences(environment: environment).tags == tags)
    }
}
