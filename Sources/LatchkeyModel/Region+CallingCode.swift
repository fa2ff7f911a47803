extension Region {
    /// The number of digits in the longest prefix that identifies a region.
    private static let longestPrefix = 7

    /// Looks up the region of a phone number from its calling code (ITU-T E.164).
    ///
    /// If several regions share a calling code, the digits after it tell them apart: the area code in the
    /// North American Numbering Plan, and prefixes of the national number elsewhere. The longest matching
    /// prefix wins. If none of the longer prefixes match, the result is the main region for the calling code.
    ///
    /// The region is where the number was issued, which isn't necessarily where the user is. The result is
    /// `nil` for numbers that aren't tied to a region, such as toll-free and satellite numbers, and for
    /// unassigned calling codes.
    public init?(callingCodeOf phone: PhoneNumber) {
        let digits = phone.e164.dropFirst()
        for length in stride(from: min(Self.longestPrefix, digits.count), to: 0, by: -1) {
            guard let code = Self.prefixes[String(digits.prefix(length))] else { continue }
            self.init(code)
            return
        }
        return nil
    }

    /// Returns whether numbers of this region start with the calling code of the given phone number.
    ///
    /// Several regions can share a calling code, such as the United States and Canada.
    public func sharesCallingCode(of phone: PhoneNumber) -> Bool {
        guard let code = Self.callingCode(of: phone.e164.dropFirst()) else { return false }
        return Self.prefixes.contains { $0.value == self.code && Self.callingCode(of: $0.key[...]) == code }
    }

    /// Returns the calling code that a number or a prefix starts with, or `nil` if it is unassigned.
    ///
    /// No calling code is a prefix of another one (ITU-T E.164), so the shortest match is the calling code.
    private static func callingCode(of digits: Substring) -> Substring? {
        (1...3).lazy.map { digits.prefix($0) }.first { prefixes[String($0)] != nil }
    }

    /// Maps number prefixes to region codes.
    ///
    /// The code is empty if the prefix isn't tied to a region.
    private static let prefixes: [String: String] = {
        var prefixes: [String: String] = [:]
        for (callingCode, lines) in [("", callingCodes), ("1", areaCodes)] {
            for line in lines.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let code = words.first else { continue }
                for prefix in words.dropFirst() {
                    prefixes[callingCode + prefix] = code == "-" ? "" : String(code)
                }
            }
        }
        return prefixes
    }()

    /// Each line contains a region, its calling codes, and the prefixes that distinguish it from other
    /// regions with the same calling code.
    ///
    /// A dash marks prefixes that aren't tied to a region: universal freephone and premium numbers,
    /// satellites and international networks.
    private static let callingCodes = """
        US 1
        - 800 808 870 878 881 882 883 888 979
        EG 20
        SS 211
        MA 212
        EH 2125288 2125289
        DZ 213
        TN 216
        LY 218
        GM 220
        SN 221
        MR 222
        ML 223
        GN 224
        CI 225
        BF 226
        NE 227
        TG 228
        BJ 229
        MU 230
        LR 231
        SL 232
        GH 233
        NG 234
        TD 235
        CF 236
        CM 237
        CV 238
        ST 239
        GQ 240
        GA 241
        CG 242
        CD 243
        AO 244
        GW 245
        IO 246
        SH 247 290
        SC 248
        SD 249
        RW 250
        ET 251
        SO 252
        DJ 253
        KE 254
        TZ 255
        UG 256
        BI 257
        MZ 258
        ZM 260
        MG 261
        RE 262
        YT 262269 262639
        ZW 263
        NA 264
        MW 265
        LS 266
        BW 267
        SZ 268
        KM 269
        ZA 27
        ER 291
        AW 297
        FO 298
        GL 299
        GR 30
        NL 31
        BE 32
        FR 33
        ES 34
        GI 350
        PT 351
        LU 352
        IE 353
        IS 354
        AL 355
        MT 356
        CY 357
        FI 358
        AX 35818
        BG 359
        HU 36
        LT 370
        LV 371
        EE 372
        MD 373
        AM 374
        BY 375
        AD 376
        MC 377
        SM 378
        VA 379 3906698
        UA 380
        RS 381
        ME 382
        XK 383
        HR 385
        SI 386
        BA 387
        MK 389
        IT 39
        RO 40
        CH 41
        CZ 420
        SK 421
        LI 423
        AT 43
        GB 44
        GG 441481 447781 447839 4479111 4479117
        JE 441534 447509 4477003 4477007 4477008 447797 447829 447937
        IM 441624 4474576 447624 447924
        DK 45
        SE 46
        NO 47
        SJ 4779
        PL 48
        DE 49
        FK 500
        BZ 501
        GT 502
        SV 503
        HN 504
        NI 505
        CR 506
        PA 507
        PM 508
        HT 509
        PE 51
        MX 52
        CU 53
        AR 54
        BR 55
        CL 56
        CO 57
        VE 58
        GP 590
        BO 591
        GY 592
        EC 593
        GF 594
        PY 595
        MQ 596
        SR 597
        UY 598
        CW 599
        BQ 5993 5994 5997
        MY 60
        AU 61
        CC 6189162
        CX 6189164
        ID 62
        PH 63
        NZ 64
        SG 65
        TH 66
        TL 670
        AQ 6721
        NF 6723
        BN 673
        NR 674
        PG 675
        TO 676
        SB 677
        VU 678
        FJ 679
        PW 680
        WF 681
        CK 682
        NU 683
        WS 685
        KI 686
        NC 687
        TV 688
        PF 689
        TK 690
        FM 691
        MH 692
        RU 7
        KZ 76 77
        JP 81
        KR 82
        VN 84
        KP 850
        HK 852
        MO 853
        KH 855
        LA 856
        CN 86
        BD 880
        TW 886
        TR 90
        IN 91
        PK 92
        AF 93
        LK 94
        MM 95
        MV 960
        LB 961
        JO 962
        SY 963
        IQ 964
        KW 965
        SA 966
        YE 967
        OM 968
        PS 970
        AE 971
        IL 972
        BH 973
        QA 974
        BT 975
        MN 976
        NP 977
        IR 98
        TJ 992
        TM 993
        AZ 994
        GE 995
        KG 996
        UZ 998
        """

    /// The area codes in the North American Numbering Plan that don't belong to a US state.
    ///
    /// All other area codes belong to the USA. A dash marks toll-free, premium and personal numbers, which
    /// aren't tied to a region.
    private static let areaCodes = """
        - 500 521 522 523 524 525 526 527 528 529 532 533 535 538 542 543 544 545 546 547 549 550 552 553 554 556 566
        - 569 577 578 588 589 700 710 800 833 844 855 866 877 888 900
        CA 204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 403 416 418 428 431 437 438 450 468 474 506 514
        CA 519 548 579 581 584 587 600 604 613 622 633 639 644 647 655 672 677 683 688 705 709 742 753 778 780 782 807
        CA 819 825 867 873 879 902 905 942
        AG 268
        AI 264
        AS 684
        BB 246
        BM 441
        BS 242
        DM 767
        DO 809 829 849
        GD 473
        GU 671
        JM 658 876
        KN 869
        KY 345
        LC 758
        MP 670
        MS 664
        PR 787 939
        SX 721
        TC 649
        TT 868
        VC 784
        VG 284
        VI 340
        """
}
