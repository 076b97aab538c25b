package enrich

import (
	"strings"

	"understudy.example/internal/field"
)

// sicGroup returns the major group of the Standard Industrial Classification of 1987
// that comes closest to the subsector of a NAICS code.
func sicGroup(naics string) (field.Code, bool) {
	if len(naics) < 3 {
		return field.Code{}, false
	}
	group, ok := sicOfSubsector[naics[:3]]
	return field.Code{Code: group, Desc: sicTitles[group]}, ok
}

// sicOfSubsector has the major group for each subsector of NAICS 2012.
var sicOfSubsector = pairs(`
	111 01
	112 02
	113 08
	114 09
	115 07
	211 13
	212 14
	213 13
	221 49
	236 15
	237 16
	238 17
	311 20
	312 20
	313 22
	314 22
	315 23
	316 31
	321 24
	322 26
	323 27
	324 29
	325 28
	326 30
	327 32
	331 33
	332 34
	333 35
	334 36
	335 36
	336 37
	337 25
	339 39
	423 50
	424 51
	425 51
	441 55
	442 57
	443 57
	444 52
	445 54
	446 59
	447 55
	448 56
	451 59
	452 53
	453 59
	454 59
	481 45
	482 40
	483 44
	484 42
	485 41
	486 46
	487 47
	488 47
	491 43
	492 42
	493 42
	511 27
	512 78
	515 48
	517 48
	518 73
	519 73
	521 60
	522 60
	523 62
	524 63
	525 67
	531 65
	532 73
	533 67
	541 87
	551 67
	561 73
	562 49
	611 82
	621 80
	622 80
	623 80
	624 83
	711 79
	712 84
	713 79
	721 70
	722 58
	811 75
	812 72
	813 86
	814 88
	921 91
	922 92
	923 94
	924 95
	925 95
	926 96
	927 96
	928 97`)

// sicTitles are the titles of the major groups.
var sicTitles = pairs(`
	01 Agricultural Production - Crops
	02 Agricultural Production - Livestock
	07 Agricultural Services
	08 Forestry
	09 Fishing, Hunting and Trapping
	13 Oil and Gas Extraction
	14 Mining and Quarrying of Nonmetallic Minerals, Except Fuels
	15 Building Construction - General Contractors and Operative Builders
	16 Heavy Construction, Except Building Construction
	17 Construction - Special Trade Contractors
	20 Food and Kindred Products
	22 Textile Mill Products
	23 Apparel and Other Finished Products Made from Fabrics
	24 Lumber and Wood Products, Except Furniture
	25 Furniture and Fixtures
	26 Paper and Allied Products
	27 Printing, Publishing and Allied Industries
	28 Chemicals and Allied Products
	29 Petroleum Refining and Related Industries
	30 Rubber and Miscellaneous Plastics Products
	31 Leather and Leather Products
	32 Stone, Clay, Glass and Concrete Products
	33 Primary Metal Industries
	34 Fabricated Metal Products
	35 Industrial and Commercial Machinery and Computer Equipment
	36 Electronic and Other Electrical Equipment
	37 Transportation Equipment
	39 Miscellaneous Manufacturing Industries
	40 Railroad Transportation
	41 Local and Suburban Transit and Interurban Highway Passenger Transportation
	42 Motor Freight Transportation and Warehousing
	43 United States Postal Service
	44 Water Transportation
	45 Transportation by Air
	46 Pipelines, Except Natural Gas
	47 Transportation Services
	48 Communications
	49 Electric, Gas and Sanitary Services
	50 Wholesale Trade - Durable Goods
	51 Wholesale Trade - Nondurable Goods
	52 Building Materials, Hardware, Garden Supply and Mobile Home Dealers
	53 General Merchandise Stores
	54 Food Stores
	55 Automotive Dealers and Gasoline Service Stations
	56 Apparel and Accessory Stores
	57 Home Furniture, Furnishings and Equipment Stores
	58 Eating and Drinking Places
	59 Miscellaneous Retail
	60 Depository Institutions
	62 Security and Commodity Brokers, Dealers, Exchanges and Services
	63 Insurance Carriers
	65 Real Estate
	67 Holding and Other Investment Offices
	70 Hotels, Rooming Houses, Camps and Other Lodging Places
	72 Personal Services
	73 Business Services
	75 Automotive Repair, Services and Parking
	78 Motion Pictures
	79 Amusement and Recreation Services
	80 Health Services
	82 Educational Services
	83 Social Services
	84 Museums, Art Galleries and Botanical and Zoological Gardens
	86 Membership Organizations
	87 Engineering, Accounting, Research, Management and Related Services
	88 Private Households
	91 Executive, Legislative and General Government
	92 Justice, Public Order and Safety
	94 Administration of Human Resource Programs
	95 Administration of Environmental Quality and Housing Programs
	96 Administration of Economic Programs
	97 National Security and International Affairs`)

// pairs returns the words after the first one of each line, by the first.
func pairs(lines string) map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		table[key] = value
	}
	return table
}
