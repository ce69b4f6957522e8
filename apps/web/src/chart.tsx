/** A plain line chart: a few series over a common axis, values 0..1 shown in per cent. */
export interface Series {
  name: string;
  color: string;
  points: { x: number; y: number }[];
}

const WIDTH = 520;
const HEIGHT = 150;
const LEFT = 36;
const BOTTOM = 18;

export function LineChart({ series, xLabel }: { series: Series[]; xLabel: (x: number) => string }) {
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) return <p className="quiet">Nothing to draw yet.</p>;
  const xs = points.map((point) => point.x);
  const minX = Math.min(...xs);
  const maxX = Math.max(...xs);
  const toX = (x: number) => LEFT + (maxX === minX ? 0 : ((x - minX) / (maxX - minX)) * (WIDTH - LEFT - 8));
  const toY = (y: number) => HEIGHT - BOTTOM - Math.max(0, Math.min(1, y)) * (HEIGHT - BOTTOM - 8);
  return (
    <figure>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={series.map((one) => one.name).join(', ')}
      >
        {[0, 0.5, 1].map((y) => (
          <g key={y}>
            <line x1={LEFT} x2={WIDTH - 8} y1={toY(y)} y2={toY(y)} className="grid" />
            <text x={LEFT - 6} y={toY(y) + 4} textAnchor="end">{`${y * 100}%`}</text>
          </g>
        ))}
        {[minX, maxX].map((x, index) => (
          <text key={index} x={toX(x)} y={HEIGHT - 4} textAnchor={index === 0 ? 'start' : 'end'}>
            {xLabel(x)}
          </text>
        ))}
        {series.map((one) => (
          <g key={one.name} stroke={one.color} fill={one.color}>
            <polyline
              fill="none"
              strokeWidth="2"
              points={one.points.map((point) => `${toX(point.x)},${toY(point.y)}`).join(' ')}
            />
            {one.points.length < 40 &&
              one.points.map((point, index) => (
                <circle key={index} cx={toX(point.x)} cy={toY(point.y)} r="2.5" />
              ))}
          </g>
        ))}
      </svg>
      <figcaption>
        {series.map((one) => (
          <span key={one.name}>
            <i style={{ background: one.color }} /> {one.name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
