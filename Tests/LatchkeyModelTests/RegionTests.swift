import LatchkeyModel
import Testing

@Suite struct `Region codes` {
    @Test(arguments: [
        // Calling codes that are used by a single country.
        ("+436601234567", "AT"), ("+4791234567", "NO"), ("+46701234567", "SE"), ("+358401234567", "FI"),
        ("+998901234567", "UZ"), ("+85212345678", "HK"), ("+38344123456", "XK"),
        // The North American Numbering Plan, by area code.
        ("+12125550100", "US"), ("+14165550100", "CA"), ("+16135550100", "CA"), ("+17875550100", "PR"),
        ("+18765550100", "JM"), ("+18095550100", "DO"), ("+16845550100", "AS"), ("+14415550100", "BM"),
        ("+16713000000", "GU"),
        // Other calling codes that several regions share.
        ("+79161234567", "RU"), ("+77011234567", "KZ"), ("+447700900123", "GB"), ("+447781123456", "GG"),
        ("+447797123456", "JE"), ("+441624123456", "IM"), ("+390612345678", "IT"), ("+390669812345", "VA"),
        ("+4779123456", "SJ"), ("+61412345678", "AU"), ("+61891641234", "CX"), ("+61891621234", "CC"),
        ("+212612345678", "MA"), ("+212528812345", "EH"), ("+262692123456", "RE"), ("+262639123456", "YT"),
        ("+3581812345", "AX"), ("+59991234567", "CW"), ("+5997123456", "BQ"), ("+672312345", "NF"),
    ])
    func `The region is derived from a phone number's calling code`(number: String, code: String) throws {
        let phone = try #require(PhoneNumber(number))
        #expect(Region(callingCodeOf: phone)?.code == code)
    }

    @Test(arguments: [
        "+18005550100", "+18885550100", "+15005550100", "+19005550100", "+80012345678", "+881612345678",
        "+883510012345", "+2101234567", "+9991234567",
    ])
    func `Numbers without a region and unassigned calling codes have no known region`(number: String) throws {
        let phone = try #require(PhoneNumber(number))
        #expect(Region(callingCodeOf: phone) == nil)
    }

    @Test func `Every assigned calling code has a known region`() throws {
        // The country codes in ITU-T E.164 (List of assigned country codes), without those of international
        // networks.
        let assigned =
            """
            1 20 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 \
            240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 \
            267 268 269 27 290 291 297 298 299 30 31 32 33 34 350 351 352 353 354 355 356 357 358 359 36 370 371 372 \
            373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 39 40 41 420 421 423 43 44 45 46 47 48 49 500 \
            501 502 503 504 505 506 507 508 509 51 52 53 54 55 56 57 58 590 591 592 593 594 595 596 597 598 599 60 61 \
            62 63 64 65 66 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 7 81 \
            82 84 850 852 853 855 856 86 880 886 90 91 92 93 94 95 960 961 962 963 964 965 966 967 968 970 971 972 \
            973 974 975 976 977 98 992 993 994 995 996 998
            """.split(separator: " ")
        for code in assigned {
            // Norfolk Island and Antarctica share a calling code that has no main region.
            let phone = try #require(PhoneNumber("+\(code)3555555555".prefix(14).description))
            #expect(Region(callingCodeOf: phone) != nil, "\(code)")
        }
    }

    @Test(arguments: ["", "at", "A", "AUT", "ZZ", "EU", "UK", "ß", "AT ", "А\u{422}"])
    func `A code that is unassigned or not in uppercase is rejected`(code: String) {
        #expect(Region(code) == nil)
    }

    @Test(arguments: [("at", "AT"), ("AT", "AT"), ("ß", nil), ("zz", nil), ("a", nil)])
    func `A region can be parsed without regard to letter case`(text: String, code: String?) {
        #expect(Region(ignoringCase: text)?.code == code)
    }
}
